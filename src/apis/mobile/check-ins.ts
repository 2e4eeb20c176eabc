import type { Endpoints } from '../../http/endpoints.ts';

/** Surveys that patients answer on a page. */
export function checkInRoutes(_endpoints: Endpoints): void {}
