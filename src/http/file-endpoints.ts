import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type AuthenticatedRoute, declareAuthenticatedRoute, type EndpointDeps } from './authenticated-route.ts';
import type { Dialect } from './dialect.ts';
import { respondToDownload } from './downloads.ts';
import type { DownloadEndpoint, MediaEndpoint, UploadEndpoint } from './endpoint-types.ts';
import { mediaForm, respondToMedia } from './media-uploads.ts';
import { FORM_TYPE, formWith, respondToUpload, takeFiles } from './uploads.ts';

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
    answer: (request, reply) => respondToUpload(deps, endpoint, request, reply),
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
    answer: (request, reply) => respondToMedia(deps, endpoint, request, reply),
  });
}

/** A POST in a scope of its own, since only here a body may be a form with files. */
function declareForm(
  app: FastifyInstance,
  deps: EndpointDeps,
  dialect: Dialect,
  { path, endpoint, answer }: Pick<AuthenticatedRoute, 'path' | 'endpoint' | 'answer'>,
): void {
  void app.register(async (scope) => {
    await takeFiles(scope);
    const documented = { ...endpoint, consumes: [FORM_TYPE] };
    declareAuthenticatedRoute(scope, deps, dialect, {
      method: 'POST',
      path,
      endpoint: documented,
      ifMatch: false,
      carriesFile: true,
      answer,
    });
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
  declareAuthenticatedRoute(app, deps, dialect, {
    method: 'GET',
    path,
    endpoint: { ...endpoint, response: BYTES, tagged: true, produces: ['*/*'] },
    ifMatch: false,
    sendsFile: true,
    answer: (request, reply) => respondToDownload(deps, endpoint, request, reply),
  });
}
