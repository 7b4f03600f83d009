/**
 * Type of a picture module: its file name, relative to the script.
 * Invariant: as esbuild makes it (the loader `file`). Apart because a module cannot declare others.
 */
declare module "*.webp" {
  const name: string;
  // biome-ignore lint/style/noDefaultExport: the loader exports it so
  export default name;
}
