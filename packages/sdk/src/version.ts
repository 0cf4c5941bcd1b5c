// The name and version sent to the control plane; a test compares them with package.json.

export const SDK = { name: '@keyrail/sdk', version: '0.1.0' } as const;
