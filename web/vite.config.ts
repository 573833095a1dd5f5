import { defineConfig } from "vite";

export default defineConfig({
  // The page works from any folder of any server.
  base: "./",
  build: { target: "es2022", assetsInlineLimit: 0, reportCompressedSize: true },
  worker: { format: "es" },
});
