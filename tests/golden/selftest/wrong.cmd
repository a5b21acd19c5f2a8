p5scope --version
