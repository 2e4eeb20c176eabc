import type { Gateways } from '../../gateways/gateways.ts';
import type { AdmissionDeps } from '../../http/admit-user.ts';
import type { Authenticator } from '../../http/authenticate.ts';
import type { PageDeps } from '../page-deps.ts';

/** Services that the pages of staff use. */
export interface StaffPageDeps extends PageDeps, AdmissionDeps {
  authenticator: Authenticator;
  gateways: Pick<Gateways, 'videoRooms' | 'guarded' | 'openIdConnect'>;
}
