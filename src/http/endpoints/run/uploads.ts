import multipart, { type Multipart } from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Failure, invalid } from '../../../domain/errors.ts';
import { discardFile, type FileStore, type StoredFile, storeFile, tooLarge } from '../../../domain/files/stored-files.ts';
import { isUtf8 } from '../../../domain/values/text-form.ts';
import { nameIgnored } from '../../input/ignored-fields.ts';
import { NOT_UTF_8 } from '../../input/utf8.ts';
import type { None, RunDeps, UploadEndpoint } from '../endpoint-types.ts';
import { runWrite } from './run-write.ts';

export const FORM_TYPE = 'multipart/form-data';

/** Bytes of a form beside its file, at most. */
export const FORM_BYTES = 64 * 1024;
/** Milliseconds for which the rest of a refused upload is read and discarded, so that the client reads the response. */
const LINGER_MS = 10_000;

/** Makes a scope accept multipart forms with files, and nothing else. */
export async function takeFiles(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(multipart, {
    throwFileSizeLimit: false,
    limits: { fields: 20, parts: 21, fieldSize: FORM_BYTES, fieldNameSize: 200, headerPairs: 20 },
  });
}

/** The shape of such a form, for the document. */
export const formWith = (field: string) => z.object({ [field]: z.string().meta({ format: 'binary' }) });

/** Stores the file, then runs the write; a file that the transaction did not claim is deleted. */
export async function runUpload<P extends z.ZodType, A extends z.ZodType>(
  deps: RunDeps,
  endpoint: UploadEndpoint<P, A>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { organizationId } = request.caller;
  const { file, fileName } = await receive(deps.store, endpoint, request, reply);
  // The fingerprint of the request, for Idempotency-Key.
  request.body = { [endpoint.field]: { name: fileName, sha256: file.sha256.toString('hex') } };
  try {
    await runWrite<P, None, None, A, Received>(deps, endpoint, request, reply, { file, fileName });
  } finally {
    await discardFile(deps.store, organizationId, file.storageKey);
  }
}

interface Received {
  file: StoredFile;
  fileName: string;
}

/** Reads the whole form. The deadline of the response is paused until all of it is here: from then on the caller waits for us alone. */
async function receive(
  store: FileStore,
  { field, largest }: Pick<UploadEndpoint<z.ZodType, z.ZodType>, 'field' | 'largest'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Received> {
  request.deadline.pause();
  request.raw.once('end', request.deadline.resume);
  const { organizationId } = request.caller;
  const others: Record<string, null> = {};
  let received: Received | undefined;
  try {
    if (Number(request.headers['content-length'] ?? 0) > largest + FORM_BYTES) throw tooLarge(largest);
    for await (const part of readMultipart(request, largest)) {
      if (part.type === 'field') others[part.fieldname] = null;
      else if (part.fieldname !== field) throw invalid(part.fieldname, 'is a file field that this operation does not have');
      else if (received) throw invalid(field, 'was sent twice; send one file');
      else received = { fileName: readFileName(part.filename, field), file: await storeFile(store, organizationId, part.file, largest) };
    }
    if (!received) throw missingFile(field, field in others);
  } catch (error) {
    if (received) await discardFile(store, organizationId, received.file.storageKey);
    discardRest(request);
    throw error;
  } finally {
    request.raw.setTimeout(0);
    request.deadline.resume();
  }
  nameIgnored(reply, Object.keys(others));
  return received;
}

/** A name beyond ASCII as .NET writes it beside `filename*`, or without (RFC 2047). */
const ENCODED_WORD = /^=\?utf-8\?B\?([a-z0-9+/=]*)\?=$/i;

/** The name of a file; three characters of it are escaped by browsers (HTML, multipart form data). @throws Failure invalid */
function readFileName(sent: string, field: string): string {
  const encoded = ENCODED_WORD.exec(sent)?.[1];
  const name = encoded === undefined ? sent : Buffer.from(encoded, 'base64').toString();
  if (!isUtf8(name)) throw invalid(field, `has a name that ${NOT_UTF_8.message}`, NOT_UTF_8.code);
  return name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');
}

/** The parts of a form. @throws Failure invalid for a malformed form */
export async function* readMultipart(request: FastifyRequest, largest: number): AsyncGenerator<Multipart, void> {
  if (!request.isMultipart()) return;
  try {
    // One byte more than allowed, so that counting finds a file that is too large.
    yield* request.parts({ limits: { fileSize: largest + 1 } });
  } catch (error) {
    throw new Failure('invalid', 'malformed_request', 'The form cannot be read.', {
      issues: [{ field: 'body', code: 'malformed', message: 'is not a complete multipart form, or has too many parts' }],
      cause: error,
    });
  }
}

export function missingFile(field: string, isText: boolean): Failure {
  const message = isText ? 'must be a file: a part with a file name' : 'is missing';
  const issues = [{ field, code: isText ? 'invalid_type' : 'missing', message, missing: !isText }];
  return new Failure('invalid', 'invalid_input', `${field}: ${message}`, { issues });
}

/** Reads and discards the rest of an upload: a client that is still sending would not read the response of a closed connection. */
export function discardRest({ raw }: FastifyRequest): void {
  if (raw.complete) return;
  raw.resume();
  const end = setTimeout(() => raw.destroy(), LINGER_MS);
  raw.once('close', () => clearTimeout(end));
}
