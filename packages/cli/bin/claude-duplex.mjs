#!/usr/bin/env node
// A fixed place for the executable: package managers link it before anything is built.
await import("../dist/bin/claude-duplex.js")
