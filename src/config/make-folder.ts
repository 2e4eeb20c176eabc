import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from './start-errors.ts';

/**
 * Makes a folder, and those above it, where they are missing. One by one: where the system refuses one with ENOENT, as below
 * /proc, Node's recursive mkdir tries forever, and of a disk that is mounted read-only it says ENOENT.
 * @param setting what names it, for errors
 * @returns the topmost folder that was made
 * @throws ConfigError when it is no folder, or cannot be made
 */
export function makeFolder(folder: string, setting = 'DATA_DIR', mode = 0o777): string | undefined {
  if (isFolder(folder, setting)) return;
  try {
    return makeWithParents(folder, setting, mode);
  } catch (error) {
    if (isFolder(folder, setting)) return;
    throw new ConfigError(`${setting}: the folder ${folder} cannot be created (${error instanceof Error ? error.message : error}).`);
  }
}

export const noFolder = (path: string, setting = 'DATA_DIR'): ConfigError => new ConfigError(`${setting}: ${path} is not a folder.`);

/** False where there is nothing. @throws ConfigError where there is something else, there or above */
function isFolder(path: string, setting: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') throw noFolder(path, setting);
    return false;
  }
  throw noFolder(path, setting);
}

function makeWithParents(folder: string, setting: string, mode: number): string {
  const parent = dirname(folder);
  const above = parent === folder || isFolder(parent, setting) ? undefined : makeWithParents(parent, setting, mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    // Another process that starts at the same time may have made it.
    if (!isFolder(folder, setting)) throw error;
  }
  return above ?? folder;
}
