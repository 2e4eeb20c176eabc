/**
 * `npm run build`: each program as one file in `dist`, which starts in half the time and takes half the memory. Pages, migrations and the
 * code of threads are still read from `src`, and libraries that few installations load from node_modules.
 */
import { rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { PROGRAMS, ROOT } from './entry.mjs';
import './prepare.mjs';

/** Libraries with native code, and those that are loaded where the configuration or a request asks for them. */
const LIBRARIES = [
  '@aws-sdk/client-s3',
  '@faker-js/faker',
  '@node-rs/argon2',
  '@prisma/schema-engine-wasm/schema_engine_bg',
  '@scalar/fastify-api-reference',
  'amaro',
  'livekit-server-sdk',
  'nodemailer',
  'sharp',
  'twilio',
  'web-push',
];

const programs = Object.entries(PROGRAMS);

/** A module names files beside itself; from `dist` they are where its source is, but a program is in `dist` too. */
const sourceFolders = {
  name: 'source-folders',
  transform(code, id) {
    const file = relative(ROOT, id);
    if (!/^(src|prisma)\//.test(file) || !/\bimport\.meta\.(url|dirname)\b/.test(code)) return null;
    const source = `new URL(${JSON.stringify(`../${file}`)}, import.meta.url)`;
    const moved = code
      .replaceAll(/\bimport\.meta\.url\b/g, `${source}.href`)
      .replaceAll(
        /\bimport\.meta\.dirname\b/g,
        `process.getBuiltinModule('node:path').dirname(process.getBuiltinModule('node:url').fileURLToPath(${source}))`,
      );
    return {
      code: programs.reduce(
        (text, [name, file]) =>
          text.replaceAll(`new URL('../${basename(file)}', ${source}.href)`, `new URL('./${name}.js', import.meta.url)`),
        moved,
      ),
      map: null,
    };
  },
};

const bundle = await rolldown({
  cwd: ROOT,
  input: PROGRAMS,
  platform: 'node',
  external: LIBRARIES,
  plugins: [sourceFolders],
  logLevel: 'silent',
});
rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
// Names stay, for the stacks of errors; `node --enable-source-maps` shows the lines of the sources.
await bundle.write({
  dir: 'dist',
  sourcemap: true,
  sourcemapExcludeSources: true,
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
});
console.log(`built ${Object.keys(PROGRAMS).join(', ')} in dist`);
