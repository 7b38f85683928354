#!/usr/bin/env node
// Package managers link this file when they install, which in this repository is before the bundle is built.
await import("../bundle/fake-claude.js")
