import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { projectFile } from './guides.ts';
import { writeOperation } from './operation-page.ts';

const METHODS = z.enum(['get', 'post', 'put', 'patch', 'delete']);
const operation = z.looseObject({ operationId: z.string(), summary: z.string(), tags: z.array(z.string()) });
const document = z.looseObject({
  info: z.looseObject({ title: z.string() }),
  paths: z.record(z.string(), z.partialRecord(METHODS, operation)),
});

export const APIS = ['integration', 'practice', 'mobile', 'platform'] as const;
export type Api = (typeof APIS)[number];

export interface ListedOperation {
  method: string;
  path: string;
  operationId: string;
  summary: string;
  tag: string;
}

const readDocument = async (api: Api): Promise<z.output<typeof document>> =>
  document.parse(JSON.parse(await readFile(projectFile(`openapi/${api}.json`), 'utf8')));

/** The operations of an API in the order of its document. */
export async function listOperations(api: Api): Promise<{ title: string; operations: ListedOperation[] }> {
  const { info, paths } = await readDocument(api);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId, summary, tags }]) => [
      { method: method.toUpperCase(), path, operationId, summary, tag: tags[0] ?? '' },
    ]),
  );
  return { title: info.title, operations };
}

/** One operation as Markdown; null where its API has no such operation. */
export async function describeOperation(api: string, operationId: string): Promise<string | null> {
  const known = APIS.find((one) => one === api);
  if (!known) return null;
  const { paths, ...root } = await readDocument(known);
  for (const [path, item] of Object.entries(paths))
    for (const [method, one] of Object.entries(item))
      if (one.operationId === operationId) return writeOperation({ ...one, method: method.toUpperCase(), path, api: known }, root);
  return null;
}
