import type { Endpoints } from '../../http/endpoints.ts';

/** Messages behind a link that expires. */
export function externalMessageRoutes(_endpoints: Endpoints): void {}
