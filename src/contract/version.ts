/** Version of the interface in its documents; equal to the version of the package. */
export const INTERFACE_VERSION = '1.0.0';
