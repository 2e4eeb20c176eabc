import type { Colour } from '../../src/domain/practices/look/colours.ts';
import type { Prisma } from '../../src/generated/prisma/client.ts';

type Row<T> = Omit<T, 'id' | 'organizationId' | 'createdAt' | 'updatedAt'>;

/** A chart to be written. */
export type PatientRow = Partial<Omit<Prisma.PatientCreateManyInput, 'id' | 'organizationId'>> & {
  /** Nine digits, until they are encrypted for the row (social-security.ts). */
  ssn?: string | null;
  guarantorSsn?: string | null;
};

/** The data that distinguishes a demo practice; everything else is derived from it. Positions count from 0 within their own list. */
export interface PracticePlan {
  /** Seeds the random data and begins the client ids. */
  key: string;
  /** Of the addresses of its users. */
  domain: string;
  organization: Row<Prisma.OrganizationCreateManyInput>;
  /** The colour of its pages, and a file of the folder media with its logo. */
  look: { colour: Colour; logo: string | null };
  /** Names of the provider groups; more than one makes an enterprise practice. */
  groups: readonly string[];
  offices: readonly OfficePlan[];
  locations: readonly LocationPlan[];
  waitingRooms: readonly { name: string; office: number }[];
  admin: PersonPlan;
  staff: readonly PersonPlan[];
  providers: readonly ProviderPlan[];
  appointmentTypes: readonly AppointmentTypePlan[];
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

export interface PersonPlan {
  firstName: string;
  lastName: string;
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

export interface OfficePlan {
  group: number;
  row: Omit<Row<Prisma.OfficeCreateManyInput>, 'providerGroupId'>;
}

export interface LocationPlan {
  office: number;
  name: string;
}

export interface ProviderPlan extends PersonPlan {
  /** The offices where the provider sees patients, by weekday in turn; the first is home. */
  offices: readonly number[];
  /** Whether the provider is also a user, and so has a schedule. */
  user: boolean;
  /** Position of the supervising provider. */
  supervisor?: number;
  row: Omit<
    Row<Prisma.ProviderCreateManyInput>,
    'firstName' | 'lastName' | 'userId' | 'homeOfficeId' | 'supervisingProviderId' | 'providerGroupIds' | 'npi'
  >;
}

export interface AppointmentTypePlan {
  row: Row<Prisma.AppointmentTypeCreateManyInput>;
  /** Fraction of the practice's appointments; 0 for an unused type. */
  weight: number;
  telehealth?: boolean;
}
