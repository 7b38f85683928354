import { fileURLToPath } from "node:url"
import { defineConfig, mergeConfig } from "vitest/config"
import workspace from "../../../vitest.config.js"

/** The page as it is built, in a real browser; one test after the other, since they measure. */
export default mergeConfig(
  defineConfig({ resolve: workspace.resolve ?? {} }),
  defineConfig({
    root: fileURLToPath(new URL("../../../", import.meta.url)),
    test: {
      include: ["packages/ui/browser/**/*.test.ts"],
      testTimeout: 180_000,
      hookTimeout: 60_000,
      fileParallelism: false,
      passWithNoTests: false
    }
  })
)
