/** The result of a device check: whether the camera and the microphone worked. */
export interface CheckedDevices {
  camera: boolean;
  microphone: boolean;
}

/** The stored result of a device check; null where none was made. */
export const checkedDevices = ({ camera, microphone }: Record<keyof CheckedDevices, boolean | null>): CheckedDevices | null =>
  camera === null || microphone === null ? null : { camera, microphone };
