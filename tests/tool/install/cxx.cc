// The library from C++: runs a guest and prints what it counted.
#include <cstdio>
#include <memory>

#include <p5scope/cmocka.h>
#include <p5scope/machine.h>
#include <p5scope/observe.h>
#include <p5scope/profile.h>
#include <p5scope/snapshot.h>

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    p5_machine_options options = {};
    options.size = sizeof options;
    p5_error error;
    p5_machine *opened;
    if (p5_machine_open(&options, &opened, &error) != P5_OK) {
        std::fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    std::unique_ptr<p5_machine, void (*)(p5_machine *)> machine(opened, p5_machine_close);
        if (p5_machine_load(machine.get(), argv[1], nullptr, &error) != P5_OK) {
        std::fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    p5_run_result result = {};
    result.size = sizeof result;
    p5_machine_run(machine.get(), nullptr, &result, &error);
    std::unique_ptr<p5_counts, void (*)(p5_counts *)> counts(p5_counts_new(), p5_counts_free);
    p5_machine_counts(machine.get(), counts.get());
    std::printf("%llu instructions\n",
                static_cast<unsigned long long>(p5_counts_event(counts.get(), P5_EVENT_INSTRUCTIONS_EXECUTED, P5_CPL_MASK_ALL)));
    return result.end == P5_END_EXIT ? 0 : 1;
}
