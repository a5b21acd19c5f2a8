# in_parallel JOBS COMMAND: runs `COMMAND 0` to `COMMAND JOBS-1` side by side. Fails if one of them fails.
in_parallel() {
    local job worker status=0 workers=()
    for ((job = 0; job < $1; job++)); do
        "$2" "$job" &
        workers+=($!)
    done
    for worker in "${workers[@]}"; do
        wait "$worker" || status=1
    done
    return "$status"
}
