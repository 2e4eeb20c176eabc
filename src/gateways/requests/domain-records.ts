import { Resolver } from 'node:dns/promises';

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/** Records of the domain name system, by the name servers of this machine. */
export interface DomainRecords {
  /** The texts (TXT) of a name; none where there are none, or no name server answers. */
  findTexts(name: string): Promise<string[]>;
}

export const createDomainRecords = (): DomainRecords => ({
  async findTexts(name) {
    try {
      const found = await new Resolver({ timeout: TIMEOUT_MS, tries: TRIES }).resolveTxt(name);
      return found.map((parts) => parts.join(''));
    } catch {
      return [];
    }
  },
});
