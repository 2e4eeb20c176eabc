/** Where a program starts: in its bundle, where `npm run build` made it of these sources; else in the sources. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** The source of each program. */
export const PROGRAMS = {
  server: 'src/server.ts',
  worker: 'src/worker.ts',
  demo: 'src/demo.ts',
  migrate: 'src/migrate.ts',
  distribute: 'src/distribute.ts',
  admin: 'src/admin/main.ts',
};

/** The module of a program, for `import()`. */
export function entry(program) {
  const built = join(ROOT, 'dist', `${program}.js`);
  return existsSync(built) && !isChangedSince(statSync(built).mtimeMs) ? built : join(ROOT, PROGRAMS[program]);
}

function isChangedSince(time) {
  if (statSync(join(ROOT, 'package-lock.json')).mtimeMs > time) return true;
  return ['src', 'prisma'].some((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true }).some((name) => statSync(join(ROOT, folder, name)).mtimeMs > time),
  );
}
