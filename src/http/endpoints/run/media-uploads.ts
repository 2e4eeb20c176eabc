import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { invalid } from '../../../domain/errors.ts';
import { measure, toIncompleteFileFailure, tooLarge } from '../../../domain/files/stored-files.ts';
import { nameIgnored, unknownFields } from '../../input/ignored-fields.ts';
import { readInput } from '../../input/input.ts';
import { requireUtf8 } from '../../input/utf8.ts';
import type { MediaEndpoint, None, RunDeps, SpooledFile, SpooledFiles } from '../endpoint-types.ts';
import { runWrite } from './run-write.ts';
import { discardRest, FORM_BYTES, missingFile, readMultipart } from './uploads.ts';

export interface SpooledForm {
  files: SpooledFiles;
  texts: Record<string, string>;
}

/** Names of the optional parts with a file, beside the required `file`, and the largest number of bytes of each. */
export type FormFiles = Pick<MediaEndpoint<z.ZodType, z.ZodObject, z.ZodType, unknown>, 'besides' | 'largest'>;

/** The shape of such a form, for the document. */
export function mediaForm(fields: z.ZodObject, besides: FormFiles['besides']) {
  const file = () => z.string().meta({ format: 'binary' });
  return z.object({ file: file(), ...Object.fromEntries(besides.map((name) => [name, file().optional()])), ...fields.shape });
}

/**
 * Processes and stores the files of a form, then runs the write. A request for a record that does not exist is refused before
 * its form is read; stored files that the transaction did not claim are deleted.
 */
export async function runMedia<P extends z.ZodType, F extends z.ZodObject, A extends z.ZodType, M>(
  deps: RunDeps,
  endpoint: MediaEndpoint<P, F, A, M>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { organizationId } = request.caller;
  await requireRecord(deps, endpoint, request);
  const { media, fields, fingerprint } = await withForm(request, endpoint, async ({ files, texts }) => {
    const read = readInput(endpoint.fields, texts);
    nameIgnored(reply, unknownFields(endpoint.fields, texts));
    const digests = Object.fromEntries(Object.entries(files).map(([name, file]) => [name, file?.sha256]));
    return { media: await endpoint.prepare(deps.store, organizationId, files), fields: read, fingerprint: { ...texts, ...digests } };
  });
  // The fingerprint of the request, for Idempotency-Key.
  request.body = fingerprint;
  try {
    await runWrite<P, None, None, A, { fields: z.output<F>; media: M }>(deps, endpoint, request, reply, { fields, media });
  } finally {
    await endpoint.discard(deps.store, organizationId, media);
  }
}

async function requireRecord<P extends z.ZodType, F extends z.ZodObject, A extends z.ZodType, K>(
  { unitOfWork }: RunDeps,
  { params: shape, expect }: MediaEndpoint<P, F, A, K>,
  request: FastifyRequest,
): Promise<void> {
  try {
    const params = readInput(shape, request.params);
    await unitOfWork.read(request.caller, (tx) => expect({ tx, params }));
  } catch (error) {
    discardRest(request);
    throw error;
  }
}

/**
 * Writes the files of a form to a folder that only this process can read, calls `use`, and deletes the folder. The deadline of
 * the response is paused meanwhile. The scope must accept files (takeFiles).
 * @throws Failure invalid, too_large, and those of `use`
 */
export async function withForm<T>(request: FastifyRequest, form: FormFiles, use: (spooled: SpooledForm) => Promise<T>): Promise<T> {
  request.deadline.pause();
  const folder = await mkdtemp(join(tmpdir(), 'triptych-'));
  try {
    return await use(await spool(request, form, folder));
  } finally {
    request.raw.setTimeout(0);
    request.deadline.resume();
    await rm(folder, { recursive: true, force: true });
  }
}

async function spool(request: FastifyRequest, { besides, largest }: FormFiles, folder: string): Promise<SpooledForm> {
  const names = ['file', ...besides];
  const spooled: Record<string, SpooledFile> = {};
  const texts: Record<string, string> = {};
  try {
    if (Number(request.headers['content-length'] ?? 0) > largest * names.length + FORM_BYTES) throw tooLarge(largest);
    for await (const part of readMultipart(request, largest)) {
      const { fieldname: name } = part;
      if (part.type === 'field') texts[name] = String(part.value);
      else if (!names.includes(name)) throw invalid(name, 'is a file field that this operation does not have');
      else if (spooled[name]) throw invalid(name, 'was sent twice; send one file');
      else spooled[name] = await spoolFile(part.file, join(folder, String(names.indexOf(name))), largest);
    }
    const { file, ...others } = spooled;
    requireUtf8(texts);
    if (!file) throw missingFile('file', 'file' in texts);
    return { files: { file, ...others }, texts };
  } catch (error) {
    discardRest(request);
    throw error;
  }
}

async function spoolFile(content: Readable, path: string, largest: number): Promise<SpooledFile> {
  const measured = measure(content, largest);
  await pipeline(measured.bytes, createWriteStream(path, { flags: 'wx', mode: 0o600 })).catch((error: unknown) => {
    throw toIncompleteFileFailure(content, error);
  });
  return { path, sha256: measured.found().sha256.toString('hex') };
}
