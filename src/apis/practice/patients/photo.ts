import { deleteChartImage, readChartImage, setChartImage } from '../../../domain/patients/record/chart-images.ts';
import type { Endpoints } from '../../../http/endpoints/declare-endpoints.ts';
import { fromImage, ImageForm, ImageShape, SUCCESS, Success, toImage } from './images.wire.ts';
import { patientParams } from './patient.wire.ts';

const PATIENTS = { tag: 'Patients', beyondDocument: true, params: patientParams } as const;

const toPhotoPlace = ({ patientId }: { patientId: number }) => ({ patientId, insuranceId: null });

export function photoRoutes({ get, post, remove }: Endpoints): void {
  get('/patients/:patientId/photo', {
    ...PATIENTS,
    operationId: 'getPatientPhoto',
    summary: 'Read the photo of a patient',
    description: 'Responds 404 if there is none.',
    response: ImageShape,
    handle: async ({ tx, params }) => fromImage(await readChartImage(tx, toPhotoPlace(params))),
  });

  post('/patients/:patientId/photo', {
    ...PATIENTS,
    operationId: 'setPatientPhoto',
    summary: 'Set the photo of a patient',
    description: 'A JPEG or PNG image, which replaces the former one. The form may have at most 1 MiB.',
    body: ImageForm,
    response: Success,
    handle: async ({ tx, params, body }) => {
      await setChartImage(tx, toPhotoPlace(params), toImage(body));
      return SUCCESS;
    },
  });

  remove('/patients/:patientId/photo', {
    ...PATIENTS,
    operationId: 'deletePatientPhoto',
    summary: 'Delete the photo of a patient',
    description: 'Responds 404 if there is none.',
    response: Success,
    handle: async ({ tx, params }) => {
      await deleteChartImage(tx, toPhotoPlace(params));
      return SUCCESS;
    },
  });
}
