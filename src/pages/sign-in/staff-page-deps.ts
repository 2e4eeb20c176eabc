import type { Authenticator } from '../../http/authenticate.ts';
import type { PasswordDeps } from '../../http/sign-in.ts';
import type { PageDeps } from '../page-deps.ts';

/** Services that the pages of staff use. */
export interface StaffPageDeps extends PageDeps, PasswordDeps {
  authenticator: Authenticator;
}
