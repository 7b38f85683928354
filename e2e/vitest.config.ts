import { defineConfig, mergeConfig } from "vitest/config"
import workspace from "../vitest.config.js"

/** The same sources as the unit tests see; a real process behind each test. */
export default mergeConfig(
  defineConfig({ resolve: workspace.resolve ?? {} }),
  defineConfig({
    test: {
      include: ["e2e/test/**/*.test.ts"],
      // For a machine that is busy with other things; nothing here takes as long by itself.
      testTimeout: 120_000,
      passWithNoTests: false,
      // What sessions log is read when something fails.
      silent: "passed-only"
    }
  })
)
