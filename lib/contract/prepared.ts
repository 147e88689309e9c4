// Generated from openapi.yaml by npm run docs. Do not edit.
// @ts-nocheck The code of the validators is not typed.
import type { ValidateFunction } from 'ajv/dist/2020.js';

/** Digest of the text of openapi.yaml. */
export const TEXT_SHA256 = 'daeb01ac7483de6b1a8882847c4cb6cd71cd7a2b2e2913d094b423ab8b0441fc';

export const DOCUMENT_SHA256 = 'e5532c16aedf21f5daa7cd3ffc692ad8d5bbc657b5a3bc79e2257ad5178efbbf';

/** The document without references, and so without the schemas that they refer to. */
export const API = {
  "openapi": "3.1.0",
  "info": {
    "title": "Plant Store",
    "version": "1.0.0",
    "description": "A store of plants. A client adds a plant by sending a plant record with a JSON body."
  },
  "security": [
    {
      "bearerAuth": []
    }
  ],
  "paths": {
    "/plants": {
      "post": {
        "operationId": "createPlant",
        "summary": "Creates a new plant in the store.",
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {
                "description": "All the fields of Plant, and an identification number.",
                "allOf": [
                  {
                    "type": "object",
                    "required": [
                      "name"
                    ],
                    "properties": {
                      "name": {
                        "description": "The name of the plant.",
                        "type": "string"
                      },
                      "tag": {
                        "description": "Tag to specify the type.",
                        "type": "string"
                      }
                    }
                  },
                  {
                    "type": "object",
                    "required": [
                      "id"
                    ],
                    "properties": {
                      "id": {
                        "description": "Identification number of the plant.",
                        "type": "integer",
                        "format": "int64"
                      }
                    }
                  }
                ]
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "The plant that was created.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": [
                    "name"
                  ],
                  "properties": {
                    "name": {
                      "description": "The name of the plant.",
                      "type": "string"
                    },
                    "tag": {
                      "description": "Tag to specify the type.",
                      "type": "string"
                    }
                  }
                }
              }
            }
          },
          "400": {
            "description": "Unexpected error.",
            "content": {
              "application/json": {
                "schema": {
                  "type": "object",
                  "required": [
                    "error",
                    "message"
                  ],
                  "properties": {
                    "error": {
                      "description": "Numeric error value.",
                      "type": "integer",
                      "format": "int32"
                    },
                    "message": {
                      "description": "Error message text.",
                      "type": "string"
                    }
                  }
                }
              }
            }
          }
        }
      }
    }
  },
  "components": {
    "securitySchemes": {
      "bearerAuth": {
        "type": "http",
        "scheme": "bearer"
      }
    }
  }
};

const code0 = validate0;
const schema0 = {"description":"All the fields of Plant, and an identification number.","allOf":[{"type":"object","required":["name"],"properties":{"name":{"description":"The name of the plant.","type":"string"},"tag":{"description":"Tag to specify the type.","type":"string"}}},{"type":"object","required":["id"],"properties":{"id":{"description":"Identification number of the plant.","type":"integer","format":"int64","x-exact-integer":{"integral":true,"format":"int64"}}}}]};
function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){let vErrors = null;
let errors = 0;
const evaluated0 = validate0.evaluated;
if(evaluated0.dynamicProps){evaluated0.props = undefined;
}if(evaluated0.dynamicItems){evaluated0.items = undefined;
}const _errs0 = errors;
if(errors === _errs0){if(data && typeof data == "object" && !Array.isArray(data)){let missing0;
if((data.name === undefined) && (missing0 = "name")){validate0.errors = [{instancePath,schemaPath:"#/allOf/0/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}else {if(data.name !== undefined){const _errs2 = errors;
if(typeof data.name !== "string"){validate0.errors = [{instancePath:instancePath+"/name",schemaPath:"#/allOf/0/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}var valid1 = _errs2 === errors;
}else {var valid1 = true;
}if(valid1){if(data.tag !== undefined){const _errs4 = errors;
if(typeof data.tag !== "string"){validate0.errors = [{instancePath:instancePath+"/tag",schemaPath:"#/allOf/0/properties/tag/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}var valid1 = _errs4 === errors;
}else {var valid1 = true;
}}}}else {validate0.errors = [{instancePath,schemaPath:"#/allOf/0/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}}var valid0 = _errs0 === errors;
if(valid0){const _errs6 = errors;
if(errors === _errs6){if(data && typeof data == "object" && !Array.isArray(data)){let missing1;
if((data.id === undefined) && (missing1 = "id")){validate0.errors = [{instancePath,schemaPath:"#/allOf/1/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}else {if(data.id !== undefined){let data2 = data.id;
if(!((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2)))){validate0.errors = [{instancePath:instancePath+"/id",schemaPath:"#/allOf/1/properties/id/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}if(!this.isExact(data2, true, "int64", instancePath+"/id")){validate0.errors = [{instancePath:instancePath+"/id",schemaPath:"#/allOf/1/properties/id/x-exact-integer",keyword:"x-exact-integer",params:{},message:"must be an integer within int64"}];
return false;
}}}}else {validate0.errors = [{instancePath,schemaPath:"#/allOf/1/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}}var valid0 = _errs6 === errors;
}validate0.errors = vErrors;
return errors === 0;
}validate0.evaluated = {"props":{"id":true,"name":true,"tag":true},"dynamicProps":false,"dynamicItems":false};
const code1 = validate1;
const schema1 = {"type":"object","required":["name"],"properties":{"name":{"description":"The name of the plant.","type":"string"},"tag":{"description":"Tag to specify the type.","type":"string"}}};
function validate1(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){let vErrors = null;
let errors = 0;
const evaluated0 = validate1.evaluated;
if(evaluated0.dynamicProps){evaluated0.props = undefined;
}if(evaluated0.dynamicItems){evaluated0.items = undefined;
}if(errors === 0){if(data && typeof data == "object" && !Array.isArray(data)){let missing0;
if((data.name === undefined) && (missing0 = "name")){validate1.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}else {if(data.name !== undefined){const _errs1 = errors;
if(typeof data.name !== "string"){validate1.errors = [{instancePath:instancePath+"/name",schemaPath:"#/properties/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}var valid0 = _errs1 === errors;
}else {var valid0 = true;
}if(valid0){if(data.tag !== undefined){const _errs3 = errors;
if(typeof data.tag !== "string"){validate1.errors = [{instancePath:instancePath+"/tag",schemaPath:"#/properties/tag/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}var valid0 = _errs3 === errors;
}else {var valid0 = true;
}}}}else {validate1.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}}validate1.errors = vErrors;
return errors === 0;
}validate1.evaluated = {"props":{"name":true,"tag":true},"dynamicProps":false,"dynamicItems":false};
const code2 = validate2;
const schema2 = {"type":"object","required":["error","message"],"properties":{"error":{"description":"Numeric error value.","type":"integer","format":"int32","x-exact-integer":{"integral":true,"format":"int32"}},"message":{"description":"Error message text.","type":"string"}}};
function validate2(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){let vErrors = null;
let errors = 0;
const evaluated0 = validate2.evaluated;
if(evaluated0.dynamicProps){evaluated0.props = undefined;
}if(evaluated0.dynamicItems){evaluated0.items = undefined;
}if(errors === 0){if(data && typeof data == "object" && !Array.isArray(data)){let missing0;
if(((data.error === undefined) && (missing0 = "error")) || ((data.message === undefined) && (missing0 = "message"))){validate2.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}else {if(data.error !== undefined){let data0 = data.error;
const _errs1 = errors;
if(!((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0)))){validate2.errors = [{instancePath:instancePath+"/error",schemaPath:"#/properties/error/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}if(!this.isExact(data0, true, "int32", instancePath+"/error")){validate2.errors = [{instancePath:instancePath+"/error",schemaPath:"#/properties/error/x-exact-integer",keyword:"x-exact-integer",params:{},message:"must be an integer within int32"}];
return false;
}var valid0 = _errs1 === errors;
}else {var valid0 = true;
}if(valid0){if(data.message !== undefined){const _errs3 = errors;
if(typeof data.message !== "string"){validate2.errors = [{instancePath:instancePath+"/message",schemaPath:"#/properties/message/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}var valid0 = _errs3 === errors;
}else {var valid0 = true;
}}}}else {validate2.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}}validate2.errors = vErrors;
return errors === 0;
}validate2.evaluated = {"props":{"error":true,"message":true},"dynamicProps":false,"dynamicItems":false};


const { requestBody, responses } = API.paths['/plants'].post;

/** By their schemas in the document. */
export const VALIDATORS: ReadonlyMap<unknown, ValidateFunction> = new Map(
  [requestBody, responses['200'], responses['400']].map(({ content }, index) => [
    content['application/json'].schema,
    [code0, code1, code2][index],
  ]),
);
