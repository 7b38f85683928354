export declare const publicModules: (root: URL, name: string) => ReadonlyArray<string>

export declare const withExports: (text: string, modules: ReadonlyArray<string>) => string

export declare const outdated: (root: URL) => ReadonlyArray<{
  readonly file: URL
  readonly name: string
  readonly wanted: string
}>
