// Bundles the executables that are published, `claude-duplex` and `fake-claude`, from the sources. A process that loads one
// file starts in less than half the time of one that loads four hundred. Tests start many processes, so they use these
// bundles, and make more with `bundle` (`test/setup/bundles.ts`).
import { build } from "esbuild"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { argv } from "node:process"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))

const executables = [
  {
    outdir: "packages/cli/bundle",
    entryPoints: [
      "packages/cli/src/bin/claude-duplex.ts",
      // Started as a process and as a thread, so each is a file, beside the one that starts it.
      "packages/cli/src/record/shimProgram.ts",
      "packages/cli/src/record/tapeWorker.ts"
    ]
  },
  { outdir: "packages/transport-mock/bundle", entryPoints: ["packages/transport-mock/src/bin/fake-claude.ts"] }
]

/** Resolves the workspace's packages to their sources, so that no bundle is older than they are. */
const sources = {
  name: "sources",
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@claude-duplex\// }, ({ path }) => {
      const [, name, ...module] = path.split("/")
      return { path: join(root, "packages", name, "src", `${module.join("/")}.ts`) }
    })
}

/** The licenses of the packages whose code is in a bundle, which they require to be passed on. */
const licensesOf = (inputs) => {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? [])
  return [...new Set(folders)].sort().map((folder) => {
    const { license, name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
    const file = readdirSync(join(root, folder)).find((file) => /^licen[cs]e/i.test(file))
    const text = file === undefined ? `License: ${license}` : readFileSync(join(root, folder, file), "utf8").trim()
    return `${name} ${version}\n\n${text}\n`
  }).join("\n---\n\n")
}

/** Bundles programs into a folder, which then holds nothing else. */
export const bundle = async ({ entryPoints, outdir, plugins = [] }) => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir,
    plugins: [sources, ...plugins],
    bundle: true,
    // A command's modules are loaded when the command runs.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    entryNames: "[name]",
    chunkNames: "chunk-[hash]",
    metafile: true,
    logLevel: "warning",
    // Dependencies that are CommonJS call `require`.
    banner: {
      js:
        `import { createRequire as createRequire_ } from "node:module"; const require = createRequire_(import.meta.url);`
    }
  })
  writeFileSync(join(root, outdir, "third-party.txt"), licensesOf(Object.keys(metafile.inputs)))
  const written = new Set(
    [...Object.keys(metafile.outputs), `${outdir}/third-party.txt`].map((path) => join(root, path))
  )
  for (const file of readdirSync(join(root, outdir))) {
    if (!written.has(join(root, outdir, file))) rmSync(join(root, outdir, file), { recursive: true, force: true })
  }
}

export const bundleExecutables = () => Promise.all(executables.map(bundle))

if (argv[1] !== undefined && existsSync(argv[1]) && import.meta.url === pathToFileURL(argv[1]).href) {
  await bundleExecutables()
}
