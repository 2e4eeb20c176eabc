import type { Gateways } from '../../gateways/gateways.ts';
import type { PageDeps } from '../page-deps.ts';
import type { SandboxSetting } from './sandbox-access.ts';

export interface SandboxDeps extends PageDeps, Pick<SandboxSetting, 'demoPracticeIds'> {
  gateways: Gateways;
}

/** The dependencies of the sandbox's pages, which exist only where there are demo practices. */
export type SandboxPageDeps = Omit<SandboxDeps, 'demoPracticeIds'> & { demoPracticeIds: readonly number[] };
