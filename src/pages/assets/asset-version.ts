import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** Folders whose files the assets are made of. */
const FOLDERS = ['../design/', '../client/', './'].map((path) => new URL(path, import.meta.url));

/** Another one whenever an asset is: it is part of the addresses, so that browsers keep assets for good. */
const ASSET_VERSION: string = hashAssets();

function hashAssets(): string {
  const hash = createHash('sha256');
  for (const folder of FOLDERS) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
      if (/\.(?:css|ts|js|svg)$/.test(name)) hash.update(name).update(readFileSync(new URL(name.replaceAll('\\', '/'), folder)));
  }
  return hash.digest('hex').slice(0, 12);
}

/** The address of an asset in its present version: `/assets/lobby.css` becomes `/assets/0f3a5c7d9b11/lobby.css`. */
export const addVersion = (address: string): string => address.replace(/^\/assets\//, `/assets/${ASSET_VERSION}/`);

export const isPresentVersion = (url: string): boolean => url.startsWith(`/assets/${ASSET_VERSION}/`);
