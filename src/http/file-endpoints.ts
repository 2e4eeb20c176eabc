import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { declareProtected, type EndpointDeps, type Protected } from './authenticated-route.ts';
import type { Dialect } from './dialect.ts';
import { answerDownload } from './downloads.ts';
import type { DownloadEndpoint, MediaEndpoint, UploadEndpoint } from './endpoint-types.ts';
import { answerMedia, mediaForm } from './media-uploads.ts';
import { answerUpload, FORM_TYPE, formWith, takeFiles } from './uploads.ts';

export function declareUpload<P extends z.ZodType, A extends z.ZodType>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  path: string,
  endpoint: UploadEndpoint<P, A>,
): void {
  declareForm(app, deps, dialect, {
    path,
    endpoint: { ...endpoint, body: formWith(endpoint.field) },
    answer: (request, reply) => answerUpload(deps, endpoint, request, reply),
  });
}

export function declareMedia<P extends z.ZodType, F extends z.ZodObject, A extends z.ZodType, K>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  path: string,
  endpoint: MediaEndpoint<P, F, A, K>,
): void {
  declareForm(app, deps, dialect, {
    path,
    endpoint: { ...endpoint, body: mediaForm(endpoint.fields, endpoint.besides) },
    answer: (request, reply) => answerMedia(deps, endpoint, request, reply),
  });
}

/** A POST in a scope of its own, since only here a body may be a form with files. */
function declareForm(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  { path, endpoint, answer }: Pick<Protected, 'path' | 'endpoint' | 'answer'>,
): void {
  void app.register(async (scope) => {
    await takeFiles(scope);
    const documented = { ...endpoint, consumes: [FORM_TYPE] };
    declareProtected(scope, deps, dialect, { method: 'POST', path, endpoint: documented, ifMatch: false, carriesFile: true, answer });
  });
}

const BYTES = z.string().meta({ format: 'binary' });

export function declareDownload<P extends z.ZodType>(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  path: string,
  endpoint: DownloadEndpoint<P>,
): void {
  declareProtected(app, deps, dialect, {
    method: 'GET',
    path,
    endpoint: { ...endpoint, answers: BYTES, tagged: true, produces: ['*/*'] },
    ifMatch: false,
    sendsFile: true,
    answer: (request, reply) => answerDownload(deps, endpoint, request, reply),
  });
}
