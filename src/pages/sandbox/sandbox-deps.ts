import type { Gateways } from '../../gateways/gateways.ts';
import type { PageDeps } from '../page-deps.ts';

export interface SandboxDeps extends PageDeps {
  gateways: Gateways;
  /** The practices whose phones and mailboxes are shown: those of the demo. Without any there is no sandbox. */
  demoPracticeIds?: readonly number[] | undefined;
}

/** The dependencies of the sandbox's pages, which exist only where there are demo practices. */
export type SandboxPageDeps = Omit<SandboxDeps, 'demoPracticeIds'> & { demoPracticeIds: readonly number[] };
