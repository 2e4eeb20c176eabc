import { USER_ID } from '../credentials.ts';
import { reads, type Workload } from './workload.ts';

const MARCH = 'min_appointment_date=2027-03-01&max_appointment_date=2027-03-31';

/** The mobile API's workloads, sent by one user of the large practice. */
export function mobileWorkloads(): Workload[] {
  const common = { client: 'user', connections: 8, rows: 'data' } as const;
  const list = [
    {
      ...common,
      name: 'day-of-user',
      connections: 32,
      title: 'a day of one user',
      paths: [8, 9, 10, 11, 12].map(
        (day) => `/appointments?min_appointment_date=2027-03-${pad(day)}&max_appointment_date=2027-03-${pad(day)}`,
      ),
    },
    {
      ...common,
      name: 'month-of-office-200',
      title: 'a month of one office, 200 with patient and type',
      paths: [3, 8, 13, 18].map((office) => `/appointments/all?office=${office}&${MARCH}&limit=200`),
    },
    {
      ...common,
      name: 'month-of-office-1000',
      title: 'a month of one office, 1,000 with patient and type',
      connections: 4,
      paths: [3, 8, 13, 18].map((office) => `/appointments/all?office=${office}&${MARCH}&limit=1000`),
    },
    {
      ...common,
      name: 'status-of-month',
      title: 'confirmed of one user over a month',
      paths: ['Yes', 'Pending', 'No'].map((status) => `/appointments/status?status=${status}&user_id=${USER_ID}&${MARCH}`),
    },
    {
      ...common,
      name: 'status-of-all',
      title: 'confirmation of all over a month, a page of 100',
      paths: [`/appointments/status/all?${MARCH}`],
    },
    {
      ...common,
      name: 'percentage',
      title: 'percentage of confirmed appointments over a month',
      rows: null,
      paths: [`/appointments/percentage?${MARCH}`],
    },
  ];
  return list.map(reads);
}

const pad = (day: number) => String(day).padStart(2, '0');
