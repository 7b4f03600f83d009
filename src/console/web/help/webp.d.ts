/**
 * Type of a picture module: its file name, relative to the script.
 * Invariant: the type matches esbuild's loader `file`. Separate because a module file cannot
 * declare other modules.
 */
declare module "*.webp" {
  const name: string;
  // biome-ignore lint/style/noDefaultExport: the loader exports it so
  export default name;
}
