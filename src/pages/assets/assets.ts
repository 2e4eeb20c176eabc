import { readdir, readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendStatic, staticContent } from '../../http/requests/compression.ts';
import { isPresentVersion } from './asset-version.ts';

const DESIGN = new URL('../design/', import.meta.url);
/** Style sheets that the others build on, in their order. */
const FOUNDATION = ['tokens.css', 'base.css'];

/** Serves the tokens, the foundation and the style sheet of each component as one, at `/assets/design.css`. */
export async function serveDesign(app: FastifyInstance): Promise<void> {
  const sheets = (await readdir(DESIGN, { recursive: true })).filter((path) => path.endsWith('.css') && !FOUNDATION.includes(path)).sort();
  const files = [...FOUNDATION, ...sheets].map((path) => new URL(path, DESIGN));
  await serveStyleSheet(app, 'design.css', files);
}

/** Serves a style sheet of the `assets` folder at `/assets/<name>`. */
export const servePageStyle = (app: FastifyInstance, name: string): Promise<void> =>
  serveStyleSheet(app, name, [new URL(`./${name}`, import.meta.url)]);

/** Serves the style sheets of a folder of `assets` as one, at `/assets/<folder>.css`. */
export async function serveFolderStyle(app: FastifyInstance, folder: string): Promise<void> {
  const parent = new URL(`./${folder}/`, import.meta.url);
  const sheets = (await readdir(parent)).sort();
  await serveStyleSheet(
    app,
    `${folder}.css`,
    sheets.map((name) => new URL(name, parent)),
  );
}

/** The files are read once, when the server starts. */
async function serveStyleSheet(app: FastifyInstance, name: string, files: readonly URL[]): Promise<void> {
  const content = Buffer.concat(await Promise.all(files.map((file) => readFile(file))));
  await serveAsset(app, name, { type: 'text/css; charset=utf-8', read: async () => content });
}

export const serveFavicon = (app: FastifyInstance): Promise<void> =>
  serveAsset(app, 'favicon.svg', { type: 'image/svg+xml', read: () => readFile(new URL('./favicon.svg', import.meta.url)) });

async function serveAsset(
  app: FastifyInstance,
  name: string,
  { type, read }: { type: string; read: () => Promise<Buffer> },
): Promise<void> {
  const content = await staticContent(read);
  app.get(`/assets/${name}`, (request, reply) => {
    keepAsset(request, reply).type(type);
    return sendStatic(request, reply, content);
  });
}

/** The address of the present version is kept for good; any other one is asked for again. */
export const keepAsset = (request: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply.header('cache-control', isPresentVersion(request.originalUrl) ? 'public, max-age=31536000, immutable' : 'no-cache');
