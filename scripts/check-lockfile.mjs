/**
 * Checks that each package of the lockfiles has the SHA-512 checksum of what is installed: without one, npm installs whatever the
 * registry sends. A version whose packages for other systems the registry does not have gets no checksum: take one that it has.
 */
import { readFileSync } from 'node:fs';

const LOCKFILES = [
  'package-lock.json',
  'bench/peers/package-lock.json',
  'test/clients/generators/package-lock.json',
  'test/helm/tools/package-lock.json',
];

const without = LOCKFILES.flatMap((file) =>
  Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages)
    .filter(
      ([path, { integrity = '', link }]) => path.includes('node_modules/') && !link && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity),
    )
    .map(([path, { version }]) => `${file}: ${path} ${version}`),
);
if (without.length > 0) {
  console.error(`These packages have no checksum:\n  ${without.join('\n  ')}`);
  process.exit(1);
}
