import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from './start-errors.ts';

/**
 * Makes DATA_DIR, and the folders above it, where they are missing. One by one: where the system refuses one with ENOENT, as below
 * /proc, Node's recursive mkdir tries for ever, and of a disk that is mounted read-only it says ENOENT.
 * @throws ConfigError when it is no folder, or cannot be made
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  try {
    makeWithParents(folder);
  } catch (error) {
    if (isFolder(folder)) return;
    throw new ConfigError(`DATA_DIR: the folder ${folder} cannot be made (${error instanceof Error ? error.message : error}).`);
  }
}

export const noFolder = (path: string): ConfigError => new ConfigError(`DATA_DIR: ${path} is not a folder.`);

/** False where there is nothing. @throws ConfigError where there is something else, there or above */
function isFolder(path: string): boolean {
  try {
    if (statSync(path).isDirectory()) return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') throw noFolder(path);
    return false;
  }
  throw noFolder(path);
}

function makeWithParents(folder: string): void {
  const parent = dirname(folder);
  if (parent !== folder && !isFolder(parent)) makeWithParents(parent);
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process that starts at the same time may have made it.
    if (!isFolder(folder)) throw error;
  }
}
