import type { Plugin } from "esbuild"

export declare const bundle: (options: {
  readonly entryPoints: ReadonlyArray<string>
  readonly outdir: string
  readonly plugins?: ReadonlyArray<Plugin>
}) => Promise<void>

export declare const bundleExecutables: () => Promise<ReadonlyArray<void>>
