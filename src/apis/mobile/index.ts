import { forbidden } from '../../domain/errors.ts';
import type { Dialect } from '../../http/dialect.ts';
import type { Endpoints } from '../../http/endpoints.ts';
import { Problem, writeProblem } from './errors.ts';
import { type SignInDeps, signInRoutes } from './sign-in.ts';

/** For mobile apps and third parties: people who signed in. */
export const mobile: Dialect = {
  name: 'mobile',
  title: 'Mobile and Third-Party API',
  description: 'Schedules, texts, check-ins, telehealth and remote patient monitoring for people who signed in.',
  prefix: '',
  forms: false,
  scopes: { read: null, write: null },
  security: {
    name: 'bearerAuth',
    scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token from POST /login' },
  },
  admit(principal) {
    if (principal.kind === 'client') throw forbidden('wrong_token', 'The mobile API takes the token of a user who signed in.');
    const { kind: _, ...user } = principal;
    return { ...user, actor: `user:${user.userId}`, scopes: new Set() };
  },
  failureShape: Problem,
  failureContentType: 'application/problem+json',
  failureStatuses: [400, 401, 403, 404, 409, 412, 413, 415, 422, 429, 500, 503],
  writeFailure: writeProblem,
};

export function mobileRoutes(endpoints: Endpoints, deps: SignInDeps): void {
  signInRoutes(endpoints, deps);
}
