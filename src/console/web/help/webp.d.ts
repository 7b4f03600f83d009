/**
 * What a picture is to a module. What comes in: a file. What goes out: its name beside the script.
 * Invariant: as esbuild makes it (the loader `file`). Apart because a module cannot declare others.
 */
declare module "*.webp" {
  const name: string;
  // biome-ignore lint/style/noDefaultExport: that is how the loader gives it
  export default name;
}
