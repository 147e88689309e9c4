//! The plant store with axum: serde decodes the body, an extractor checks the token.

use std::{
    collections::HashMap,
    env,
    sync::{Arc, Mutex},
};

use axum::{
    Json, RequestPartsExt, Router,
    extract::{FromRequest, FromRequestParts, State, rejection::JsonRejection},
    http::{StatusCode, request::Parts},
    response::{IntoResponse, Response},
    routing::post,
};
use axum_extra::{
    TypedHeader,
    headers::{Authorization, authorization::Bearer},
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

#[derive(Clone)]
struct Store {
    token: Arc<str>,
    plants: Arc<Mutex<HashMap<i64, Plant>>>,
}

/// axum's `Json`, with its rejections as the interface's Error.
#[derive(FromRequest)]
#[from_request(via(Json), rejection(ApiError))]
struct Body<T>(T);

struct ApiError(StatusCode, String);

impl From<JsonRejection> for ApiError {
    fn from(rejection: JsonRejection) -> Self {
        Self(rejection.status(), rejection.body_text())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.0.as_u16(), "message": self.1 });
        (self.0, Json(body)).into_response()
    }
}

/// Extracted only from a request that carries the right bearer token.
struct Authorized;

impl FromRequestParts<Store> for Authorized {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, store: &Store) -> Result<Self, ApiError> {
        let unauthorized = || {
            ApiError(
                StatusCode::UNAUTHORIZED,
                "a valid bearer token is required".into(),
            )
        };
        let TypedHeader(Authorization(bearer)) = parts
            .extract::<TypedHeader<Authorization<Bearer>>>()
            .await
            .map_err(|_| unauthorized())?;
        if bearer.token() == &*store.token {
            Ok(Self)
        } else {
            Err(unauthorized())
        }
    }
}

async fn create_plant(
    _: Authorized,
    State(store): State<Store>,
    Body(new): Body<NewPlant>,
) -> Json<Plant> {
    let plant = Plant {
        name: new.name,
        tag: new.tag,
    };
    store.plants.lock().unwrap().insert(new.id, plant.clone());
    Json(plant)
}

#[tokio::main]
async fn main() {
    let token = env::var("PLANT_STORE_TOKEN").expect("PLANT_STORE_TOKEN");
    let port = env::var("PORT").expect("PORT");
    let store = Store {
        token: token.into(),
        plants: Arc::default(),
    };
    let app = Router::new()
        .route("/plants", post(create_plant))
        .with_state(store);
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}"))
        .await
        .unwrap();
    axum::serve(listener, app).await.unwrap();
}
