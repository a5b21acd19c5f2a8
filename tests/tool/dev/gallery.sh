# shellcheck shell=bash disable=SC2154 # ./dev sources this file and defines the lists of packages.

#: gallery - make the pictures of README.md and docs/examples from what p5scope prints (docs/gallery)
verb_gallery() {
    need "${packages_build[@]}" "${packages_programs[@]}" python3
    build test p5scope testprogs
    python3 docs/gallery/gallery.py "$PWD/build/test/p5scope" build/test/testprogs docs/gallery
    printf 'gallery: docs/gallery\n'
}
