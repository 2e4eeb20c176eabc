/**
 * Adds to package-lock.json the optional platform packages that npm left out because the registry in use does not serve
 * them. npm 11 refuses a lockfile without them ("Missing: … from lock file"), although it would not install them here.
 * Run after every change of dependencies: `node scripts/complete-lockfile.mjs`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const file = 'package-lock.json';
const lock = JSON.parse(readFileSync(file, 'utf8'));
const packages = lock.packages;
const platform = /-(android|darwin|linux|win32|freebsd|openharmony)-([a-z0-9]+)(?:-(\w+))?$/;
let added = 0;

for (const [path, entry] of Object.entries(packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (path === '' || packages[`node_modules/${name}`] || packages[`${path}/node_modules/${name}`]) continue;
    const [, os, cpu, libc] = platform.exec(name) ?? [];
    if (!os) continue;
    packages[`node_modules/${name}`] = {
      version,
      cpu: [cpu],
      ...(entry.dev ? { dev: true } : {}),
      ...(os === 'linux' && libc ? { libc: [libc.includes('musl') ? 'musl' : 'glibc'] } : {}),
      optional: true,
      os: [os],
    };
    added += 1;
  }
}

lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} platform packages added`);
