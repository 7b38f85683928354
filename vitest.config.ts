import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const root = fileURLToPath(new URL(".", import.meta.url))

/** Longest files first, so that the workers end together; while watching, the shortest, so that there is a result at once. */
class Sequencer extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const longestFirst = await super.sort(files)
    return this.ctx.config.watch ? longestFirst.reverse() : longestFirst
  }
}

export default defineConfig({
  test: {
    include: [
      "test/*.test.ts",
      "packages/*/test/**/*.test.ts",
      "drift/test/**/*.test.ts",
      "benchmarks/test/**/*.test.ts",
      "examples/test/**/*.test.ts",
      "reliability/test/**/*.test.ts"
    ],
    globalSetup: ["test/setup/bundles.ts"],
    setupFiles: ["test/setup/properties.ts"],
    // A file starts in a tenth of the time if what it imports is loaded already. No test file changes a module's state.
    isolate: false,
    sequence: { sequencer: Sequencer },
    // Vitest leaves one core free by default; most tests wait for processes, so no core needs to be.
    maxWorkers: availableParallelism(),
    minWorkers: 1,
    // For a machine that is busy with other things; nothing here takes as long by itself.
    testTimeout: 120_000
  },
  resolve: {
    // Tests see the sources, not the build: no test passes on yesterday's output.
    alias: [
      { find: /^@claude-duplex\/benchmarks\/(.+)$/, replacement: `${root}benchmarks/src/$1.ts` },
      { find: /^@claude-duplex\/([^/]+)\/(.+)$/, replacement: `${root}packages/$1/src/$2.ts` }
    ]
  }
})
