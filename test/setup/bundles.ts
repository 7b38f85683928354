/**
 * Before any test: programs that tests start as processes are bundled from the sources. So no test runs the code of an
 * earlier build, and none needs the compiler. The page is built only if it is missing: no unit test reads its content.
 */
import type { Plugin } from "esbuild"
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { fileURLToPath, pathToFileURL } from "node:url"
import type { TestProject } from "vitest/node"
import { bundle, bundleExecutables } from "../../scripts/bundle.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Examples find recordings relative to their sources. */
const sourceUrls: Plugin = {
  name: "source-urls",
  setup: ({ onLoad }) => {
    onLoad({ filter: /[/\\]examples[/\\]src[/\\]/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href)),
      loader: "ts"
    }))
  }
}

/** Files at the top of a folder are programs; files in its folders are parts of them. */
const filesIn = (folder: string, extension: string) =>
  readdirSync(`${root}${folder}`).filter((file) => file.endsWith(extension)).map((file) => `${folder}/${file}`)

const bundleAll = async (): Promise<void> => {
  await Promise.all([
    bundleExecutables(),
    bundle({ outdir: "examples/bundle", entryPoints: filesIn("examples/src", ".ts"), plugins: [sourceUrls] }),
    ...["packages/transport-mock", "packages/transport-node"].map((folder) =>
      bundle({ outdir: `${folder}/test/hosts/bundle`, entryPoints: filesIn(`${folder}/test/hosts`, ".mjs") })
    )
  ])
}

export const setup = async (project: TestProject): Promise<void> => {
  await bundleAll()
  // While watching, again before each run.
  project.onTestsRerun(bundleAll)
  if (!existsSync(`${root}packages/ui/dist-page/index.html`)) {
    // Not by pnpm, which need not be on the path of who runs vitest.
    const vite = `${root}packages/ui/node_modules/vite/bin/vite.js`
    execFileSync(process.execPath, [vite, "build", "--logLevel", "warn", "--config", "page/vite.config.ts"], {
      cwd: `${root}packages/ui`,
      stdio: "inherit"
    })
  }
}
