
export * from "./app/kit.ts";
export * from "./find/find.tsx";
export * from "./app/signin.tsx";
export * from "./find/charts/map.tsx";
