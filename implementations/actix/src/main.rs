//! The plant store with Actix Web: serde decodes the body, actix-web-httpauth extracts the token.

use std::{collections::HashMap, env, io, sync::Mutex};

use actix_web::{
    App, Error, HttpRequest, HttpResponse, HttpServer, ResponseError,
    dev::ServiceRequest,
    error::{InternalError, JsonPayloadError},
    post, web,
};
use actix_web_httpauth::{
    extractors::{
        AuthenticationError,
        bearer::{BearerAuth, Config},
    },
    middleware::HttpAuthentication,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Deserialize)]
struct NewPlant {
    id: i64,
    name: String,
    tag: Option<String>,
}

#[derive(Clone, Serialize)]
struct Plant {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<String>,
}

struct Store {
    token: String,
    plants: Mutex<HashMap<i64, Plant>>,
}

#[post("/plants")]
async fn create_plant(store: web::Data<Store>, new: web::Json<NewPlant>) -> web::Json<Plant> {
    let NewPlant { id, name, tag } = new.into_inner();
    let plant = Plant { name, tag };
    store.plants.lock().unwrap().insert(id, plant.clone());
    web::Json(plant)
}

async fn check_token(
    req: ServiceRequest,
    bearer: BearerAuth,
) -> Result<ServiceRequest, (Error, ServiceRequest)> {
    let store = req.app_data::<web::Data<Store>>().expect("the store");
    if bearer.token() == store.token {
        Ok(req)
    } else {
        Err((AuthenticationError::from(Config::default()).into(), req))
    }
}

fn json_error(err: JsonPayloadError, _: &HttpRequest) -> Error {
    let status = err.status_code();
    let body = json!({ "error": status.as_u16(), "message": err.to_string() });
    InternalError::from_response(err, HttpResponse::build(status).json(body)).into()
}

#[actix_web::main]
async fn main() -> io::Result<()> {
    let token = env::var("PLANT_STORE_TOKEN").expect("PLANT_STORE_TOKEN");
    let port = env::var("PORT")
        .expect("PORT")
        .parse()
        .expect("PORT is a number");
    let store = web::Data::new(Store {
        token,
        plants: Mutex::default(),
    });
    HttpServer::new(move || {
        App::new()
            .app_data(store.clone())
            .app_data(web::JsonConfig::default().error_handler(json_error))
            .wrap(HttpAuthentication::bearer(check_token))
            .service(create_plant)
    })
    .bind(("127.0.0.1", port))?
    .run()
    .await
}
