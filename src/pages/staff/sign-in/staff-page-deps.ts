import type { RequestLog } from '../../../domain/identity/clients/request-log.ts';
import type { Gateways } from '../../../gateways/gateways.ts';
import type { Authenticator } from '../../../http/auth/authenticate.ts';
import type { AppAreas } from '../../../http/endpoints/app-areas.ts';
import type { AdmissionDeps } from '../../../http/sign-in/admit-user.ts';
import type { PageDeps } from '../../page-deps.ts';

export interface StaffPageDeps extends PageDeps, AdmissionDeps {
  authenticator: Authenticator;
  appAreas: AppAreas;
  requestLog: RequestLog;
  gateways: Pick<Gateways, 'videoRooms' | 'guarded' | 'openIdConnect' | 'domainRecords'>;
}
