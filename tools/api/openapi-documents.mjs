// The OpenAPI documents of the services as they are committed. Imports no package: api:breaking works before an install.

export const DOCUMENTED_SERVICES = ['users-service', 'master-service'];

/** Where the document of SERVICE is kept, below the root. */
export const documentPath = (service) => `docs/openapi/${service}.json`;

/** Where the recorded examples of SERVICE are kept, below the root; the service reads them, too. */
export const examplesPath = (service) => `apps/${service}/openapi/examples.json`;

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** Each call of DOCUMENT: [{call: "POST /x", operation}]. */
export const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      call: `${method.toUpperCase()} ${path}`,
      operation: item[method],
    })),
  );
