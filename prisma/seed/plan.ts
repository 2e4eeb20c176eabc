import type { Prisma } from '../../src/generated/prisma/client.ts';

/** A chart to be written. */
export type PatientRow = Partial<Omit<Prisma.PatientCreateManyInput, 'id' | 'organizationId'>> & {
  /** Nine digits, until they are encrypted for the row (social-security.ts). */
  ssn?: string | null;
  guarantorSsn?: string | null;
};

/** The data that distinguishes a demo practice beside its file; everything else is derived from both. */
export interface PracticePlan {
  /** The name of its file. Seeds the random data and begins the client ids. */
  key: string;
  /** Of the addresses of its users. */
  domain: string;
  /** Fraction of the appointments of each type; types that are not named have none. */
  appointmentTypes: Readonly<Record<string, AppointmentTypePlan>>;
  /** The approximate number of appointments. */
  appointments: number;
  areaCodes: readonly string[];
  towns: readonly TownPlan[];
  /** The first five digits of its social security numbers: an area far above those given out until 2011. */
  ssnPrefix: string;
  /** Beginning of its medical record numbers. */
  recordPrefix: string;
  /** One name for each of the patients in notable.ts. */
  notableNames: readonly NamePlan[];
  /** The number of departmental copies among the two hundred patients. */
  copies: number;
}

export interface NamePlan {
  first: string | null;
  middle?: string;
  last: string;
  sex?: 'F' | 'M';
}

export interface TownPlan {
  city: string;
  /** Its two letters or its name. */
  state: string;
  zip: string;
  /** Given if it differs from the practice's. */
  timeZone?: string;
}

export interface AppointmentTypePlan {
  weight: number;
  telehealth?: boolean;
}
