// The committed OpenAPI documents of the services. Imports no package, so that api:breaking works before an install.

export const DOCUMENTED_SERVICES = ['users-service', 'master-service'];

/** Path of the document of SERVICE, below the root. */
export const documentPath = (service) => `docs/openapi/${service}.json`;

/** Path of the recorded examples of SERVICE, below the root; the service reads them too. */
export const examplesPath = (service) => `apps/${service}/openapi/examples.json`;

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

/** Each call of DOCUMENT: [{call: "POST /x", path, method, operation}]. */
export const operationsOf = ({ paths }) =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({
      ...{ call: `${method.toUpperCase()} ${path}`, path, method },
      operation: item[method],
    })),
  );
