import { integration } from '../../src/apis/integration/index.ts';
import { mobile } from '../../src/apis/mobile/index.ts';
import { platform } from '../../src/apis/platform/index.ts';
import { practice } from '../../src/apis/practice/index.ts';
import { ownTestApp, type TestApp } from '../support/app.ts';
import { type DeclaredRoute, declaredRoutes } from '../support/declared-routes.ts';

/** The four APIs, as the server knows them. */
export const dialects = { integration, practice: practice({ API_VARIANTS: ['v1'], PRACTICE_TYPES: 'strings' }), mobile, platform };

/** One declared route of a running server. */
export interface Route extends Omit<DeclaredRoute, 'prefix'> {
  dialect: keyof typeof dialects;
}

/** All routes of a server, however they were declared. */
export const listRoutes = ({ app }: TestApp): Route[] =>
  declaredRoutes(app).map(({ prefix, ...route }) => ({ ...route, dialect: findDialect(prefix) }));

/** A server of this test file alone, and all its routes. */
export async function watchedTestApp(): Promise<{ test: TestApp; routes: Route[] }> {
  const test = await ownTestApp();
  return { test, routes: listRoutes(test) };
}

function findDialect(prefix: string): Route['dialect'] {
  if (prefix === '/api') return 'integration';
  if (prefix === platform.prefix) return 'platform';
  return prefix.startsWith('/:') ? 'practice' : 'mobile';
}

/** Whether the operations of an API are for people who signed in, and not for API clients. */
export const isOfUsers = (dialect: Route['dialect']): boolean => dialect === 'mobile' || dialect === 'platform';

/** The name of a route: `GET /api/patients/:uuid`. */
export const writeRoute = ({ method, url }: Pick<Route, 'method' | 'url'>): string => `${method} ${url}`;

/**
 * An operation without the names of its placeholders (`:id`, `{uuid}`) and without a slash at the end.
 * `GET /patients/{}`
 */
export function signature(method: string, path: string): string {
  const plain = path
    .replaceAll(/:\w+(\((?:[^()]|\([^()]*\))*\))?/g, '{}')
    .replaceAll(/\{[^}]*\}/g, '{}')
    .replace(/(?<=.)\/+$/, '');
  return `${method} ${plain}`;
}

/** The normalized form of an operation, in which slips and capitals of the list are corrected. */
export const regular = (one: string): string => one.replaceAll('/{}', '{}').replace('incomming', 'incoming').toLowerCase();
