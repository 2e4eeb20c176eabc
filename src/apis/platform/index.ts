import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { Gateways } from '../../gateways/gateways.ts';
import type { Endpoints } from '../../http/endpoints/declare-endpoints.ts';
import type { Dialect } from '../../http/endpoints/dialect.ts';
import { readExamples } from '../../http/endpoints/examples.ts';
import { toCaller } from '../../http/endpoints/user-callers.ts';
import { Problem } from '../../http/errors/problems.ts';
import type { EventLogStreams } from '../../http/streams/event-log-streams.ts';
import { reassignmentRoutes } from './appointments/reassignments.ts';
import { auditRoutes } from './audit/audit.ts';
import { type BreakGlassDeps, breakGlassRoutes } from './break-glass/break-glass.ts';
import { clientRoutes } from './clients/clients.ts';
import { writePlatformProblem } from './errors.ts';
import { eventRoutes } from './events/events.ts';
import { exportRoutes } from './exports/exports.ts';
import { PLATFORM_FIELDS } from './field-descriptions.ts';
import { identityProviderRoutes, type ProviderDeps } from './identity-provider/identity-provider.ts';
import { importRoutes } from './imports/imports.ts';
import { mergeRoutes } from './patients/merges.ts';
import { policyRoutes } from './policies/policies.ts';
import { type RequestDeps, requestRoutes } from './requests/requests.ts';
import { restrictionRoutes } from './restrictions/restrictions.ts';
import { PLATFORM_TAGS } from './tags.ts';
import { type UserAccountDeps, userAccountRoutes } from './users/users.ts';
import { webhookDeliveryRoutes } from './webhooks/deliveries.ts';
import { eventWebhooks } from './webhooks/event-webhooks.ts';
import { webhookRoutes } from './webhooks/webhooks.ts';

/** For the administrators of a practice, who look after its users, clients, policies and audit without a shell. */
export const platform: Dialect = {
  name: 'platform',
  title: 'Platform API',
  description:
    'Users, API clients, security policies, the audit, the log of changes and webhooks of a practice, for its own administrators and for API clients that follow what changes.',
  prefix: '/platform/v1',
  addresses: /^\/platform(?=[/?]|$)/,
  forms: false,
  scopes: { read: null, write: null },
  clientScopes: ['events.read', 'exports.read', 'webhooks.write', 'imports.read', 'imports.write', 'restricted.read'],
  appScopes: { read: 'platform.read', write: 'platform.manage' },
  roles: ['admin'],
  security: {
    name: 'bearerAuth',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'A token from POST /login; of an API client, from POST /oauth2/v1/token, where an operation names a scope',
    },
  },
  authorize: toCaller,
  tags: PLATFORM_TAGS,
  document: 'platform.json',
  examples: () => readExamples(new URL('./examples.json', import.meta.url)),
  webhooks: eventWebhooks,
  fieldDescriptions: PLATFORM_FIELDS,
  errorShape: Problem,
  errorContentType: 'application/problem+json',
  writeError: writePlatformProblem,
};

export function platformRoutes(
  endpoints: Endpoints,
  deps: BreakGlassDeps &
    ProviderDeps &
    UserAccountDeps &
    RequestDeps & { config: Config; database: Database; gateways: Gateways; eventStreams: EventLogStreams },
): void {
  eventRoutes(endpoints, deps.eventStreams);
  exportRoutes(endpoints, deps.database);
  webhookRoutes(endpoints, deps);
  webhookDeliveryRoutes(endpoints);
  userAccountRoutes(endpoints, deps);
  clientRoutes(endpoints, deps);
  requestRoutes(endpoints, deps);
  breakGlassRoutes(endpoints, deps);
  restrictionRoutes(endpoints);
  mergeRoutes(endpoints);
  reassignmentRoutes(endpoints);
  policyRoutes(endpoints);
  auditRoutes(endpoints, { keyring: deps.keyring });
  identityProviderRoutes(endpoints, deps);
  importRoutes(endpoints, deps);
}
