import type { Gateways } from '../../gateways/gateways.ts';
import type { StaffPageDeps } from '../staff/sign-in/staff-page-deps.ts';
import type { SandboxSetting } from './sandbox-access.ts';

export interface SandboxDeps extends StaffPageDeps, Pick<SandboxSetting, 'testPracticeIds'> {
  gateways: Gateways;
}

/** The dependencies of the sandbox's pages, which exist only where there are practices for it. */
export type SandboxPageDeps = Omit<SandboxDeps, 'testPracticeIds'> & { testPracticeIds: readonly number[] };
